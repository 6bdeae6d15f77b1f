/** A script about integers that a double does not hold: their digits in every media type, patch and kind of object. */
import { inNamespace, type Script, table } from "../../script.js";

const revisions = "/apis/apps/v1/namespaces/diff-numbers/controllerrevisions";
const pods = "/api/v1/namespaces/diff-numbers/pods";
const widgets = "/apis/diff.example.com/v1/namespaces/diff-numbers/widgets";
const protobuf = "application/vnd.kubernetes.protobuf";

const widget = (name: string, spec: string): string =>
  `{"apiVersion":"diff.example.com/v1","kind":"Widget","metadata":{"name":"${name}"},"spec":{"size":3,${spec}}}`;
const revision = (name: string, numbers: string): string =>
  `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"${name}"},${numbers}}`;
const pod = (name: string, spec: string): string =>
  `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"${name}"},"spec":{"containers":[{"name":"c","image":"i"}],${spec}}}`;

export function numbers(): Script {
  const { script } = inNamespace("diff-numbers");
  script
    .post(widgets, widget("a", `"any":{"n":9007199254740993,"l":[9223372036854775807,-9223372036854775808]}`))
    .post(widgets, widget("b", `"any":{"n":9223372036854775808,"f":1.0,"e":1e2,"h":1e18,"d":12345678901234567.5}`))
    .post(widgets, widget("c", `"ios":9007199254740993`))
    .post(widgets, widget("d", `"min":9007199254740993,"max":9007199254740992`))
    .post(widgets, widget("e", `"min":9007199254740992,"max":9007199254740993`))
    .post(widgets, widget("f", `"size":9007199254740993`))
    .post(widgets, widget("g", `"min":9223372036854775808`))
    .post(widgets, widget("h", `"mode":9007199254740993`))
    .post(widgets, widget("i", `"min":1e18,"max":9223372036854775807`))
    .get(`${widgets}/a`)
    .get(widgets)
    .get(`${widgets}/a`, { accept: "application/yaml" })
    .get(`${widgets}/e`, { accept: table })
    .merge(`${widgets}/a`, `{"spec":{"any":{"n":9007199254740995}}}`)
    .json(`${widgets}/a`, `[{"op":"test","path":"/spec/any/n","value":9007199254740995}]`)
    .json(`${widgets}/a`, `[{"op":"test","path":"/spec/any/n","value":9007199254740994}]`)
    .json(`${widgets}/a`, `[{"op":"add","path":"/spec/any/m","value":9007199254740997}]`)
    .json(`${widgets}/a`, `[{"op":"copy","from":"/spec/any","path":"/spec/any/copy"}]`)
    .apply(`${widgets}/a?fieldManager=one`, widget("a", `"any":{"n":9007199254740995}`))
    .apply(
      `${widgets}/j?fieldManager=one`,
      "apiVersion: diff.example.com/v1\nkind: Widget\nspec: {size: 3, any: {n: 9007199254740993, o: 18446744073709551615}}\n",
    )
    .get(`${widgets}/j`)
    .apply(`${widgets}/j?fieldManager=two`, widget("j", `"any":{"n":9007199254740993}`))
    .apply(`${widgets}/j?fieldManager=three`, widget("j", `"any":{"o":9007199254740992}`))
    .post(revisions, revision("a", `"revision":9007199254740993,"data":{"n":9007199254740995}`))
    .post(revisions, revision("b", `"revision":9223372036854775808`))
    .get(`${revisions}/a`)
    .get(`${revisions}/a`, { accept: protobuf })
    .get(revisions, { accept: protobuf })
    .get(`${revisions}/a`, { accept: "application/yaml" })
    .get(`${revisions}/a`, { accept: table })
    .merge(`${revisions}/a`, `{"revision":9007199254740997}`)
    .strategic(`${revisions}/a`, `{"revision":9007199254740999}`)
    .json(`${revisions}/a`, `[{"op":"replace","path":"/revision","value":9007199254741001}]`)
    .apply(`${revisions}/a?fieldManager=one&force=true`, revision("a", `"revision":9007199254741003`))
    .put(`${revisions}/a`, revision("a", `"revision":9007199254741005,"data":{"n":9007199254740995}`))
    .post(pods, pod("a", `"terminationGracePeriodSeconds":9007199254740993`))
    .post(pods, pod("b", `"activeDeadlineSeconds":9007199254740993`))
    .post(pods, pod("c", `"securityContext":{"runAsUser":9007199254740993,"supplementalGroups":[9007199254740993]}`))
    .post(
      pods,
      pod(
        "d",
        `"tolerations":[{"key":"a","operator":"Exists","effect":"NoExecute","tolerationSeconds":9007199254740993},{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":9007199254740995}]`,
      ),
    )
    .get(`${pods}/d`)
    .strategic(
      `${pods}/d`,
      `{"spec":{"tolerations":[{"key":"b","operator":"Exists","effect":"NoExecute","tolerationSeconds":9007199254740997}]}}`,
    )
    .post(pods, pod("e", `"priority":9007199254740993`))
    .post(pods, pod("f", `"containers":[{"name":"c","image":"i","ports":[{"containerPort":9007199254740993}]}]`))
    .post(pods, "9007199254740993")
    .post(pods, `"${"x".repeat(40)}"`)
    .post(pods, `"${"x".repeat(25)}"`)
    .merge(`${pods}/d`, "9007199254740993")
    .delete(`${pods}/d`, `{"apiVersion":"v1","kind":"DeleteOptions","gracePeriodSeconds":9007199254740993}`);
  return script;
}
