/** yaml: YAML as Kubernetes reads and writes it. */
export { yamlToJson, type YamlDocument } from "./read.js";
export { writeYaml, writeYamlList } from "./write.js";
export { YamlError } from "./yaml-error.js";
