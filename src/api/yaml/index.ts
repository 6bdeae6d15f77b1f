/** YAML as Kubernetes reads and writes it. For the server's codec and the client's kubeconfigs. */
export { yamlToJson, type YamlDocument } from "./read.js";
export { writeYaml, writeYamlList } from "./write.js";
export { YamlError } from "./yaml-error.js";
