/** Requires a text to be a domain and a path, as in `example.com/controller`; gives its faults in upstream's words. */
import { isDns1123Subdomain, patternComplaint } from "../values/names.js";
import type { FieldError } from "./field-error.js";
import type { FieldPath } from "./field-path.js";

const pathForm = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

export function* domainPrefixedPath(at: FieldPath, name: string): Generator<FieldError> {
  const slash = name.indexOf("/");
  const [domain, path] = [name.slice(0, slash), name.slice(slash + 1)];
  if (name === "") yield at.required();
  else if (slash < 1 || path === "") {
    yield at.invalid(name, 'must be a domain-prefixed path (such as "acme.io/foo")');
  } else {
    for (const why of isDns1123Subdomain(domain)) yield at.invalid(domain, why);
    if (!new RegExp(`^${pathForm}$`).test(path)) yield at.invalid(path, patternComplaint("Invalid path", pathForm));
  }
}
