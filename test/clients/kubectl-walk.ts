/** A walk through kubectl: an administrator's commands, for two servers whose output is compared. */

export interface Command {
  readonly args: string;
  /** Standard input. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const say = (text: string): readonly Command[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((args) => ({ args }));

const yaml = (data: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ap, namespace: walk}\ndata: ${data}\n`;
const node = "apiVersion: v1\nkind: Node\nmetadata: {name: walk-node}\n";
const wrong = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bad, foo: 1}\ndat: {x: 1}\n";

/** Words are split at spaces; `_` stands for a space inside a word. */
export const walk: readonly Command[] = [
  ...say(`
    create ns walk
    -n walk create configmap cm --from-literal=a=1
    -n walk create secret generic sec --from-literal=p=q
    -n walk create deployment web --image=nginx:1.25 --replicas=2 --port=80
    -n walk get deploy
    -n walk get deploy web -o wide
    -n walk get deploy -o name
    -n walk get deploy web -o jsonpath={.spec.replicas}
    -n walk get deploy -o custom-columns=N:.metadata.name,R:.spec.replicas
    -n walk get deploy web -o json
    -n walk scale deploy web --replicas=3
    -n walk set image deploy/web nginx=nginx:1.26
    -n walk set env deploy/web A=B
    -n walk label deploy web tier=x
    -n walk annotate deploy web note=hello
    -n walk patch deploy web -p {"spec":{"minReadySeconds":5}}
    -n walk patch deploy web --type=json -p [{"op":"remove","path":"/spec/minReadySeconds"}]
    -n walk rollout history deploy web
    -n walk rollout pause deploy web
    -n walk rollout resume deploy web
    -n walk rollout restart deploy web
    -n walk rollout status deploy web --timeout=5s
    -n walk describe deploy web
    -n walk expose deploy web --port=80 --target-port=8080
    -n walk get svc
    -n walk describe svc web
    -n walk run p --image=busybox --restart=Never --labels=app=p
    -n walk get pods -o wide
    -n walk get pods --show-labels
    -n walk get pods -l app=p
    -n walk get pods --field-selector=status.phase=Pending -o name
    -n walk describe pod p
    -n walk get all
    -n walk create job j --image=busybox -- date
    -n walk create cronjob cj --image=busybox --schedule=*/5_*_*_*_* -- date
    -n walk get jobs,cronjobs
    -n walk create role r --verb=get --resource=pods
    -n walk create rolebinding rb --role=r --serviceaccount=walk:default
    -n walk get role,rolebinding
    -n walk create quota q --hard=pods=5
    -n walk describe quota q
    -n walk create pdb pdb --selector=app=web --min-available=1
    -n walk get pdb
    -n walk create ingress ing --rule=a.com/x=svc:80
    -n walk get ing
    -n walk create sa bot
    -n walk get sa bot -o yaml
    create clusterrole walk-cr --verb=get --resource=nodes
    delete clusterrole walk-cr
    create priorityclass walk-pc --value=10
    get pc walk-pc
    delete pc walk-pc`),
  { args: "create -f -", input: node },
  ...say(`
    get nodes
    cordon walk-node
    get nodes
    uncordon walk-node
    taint node walk-node k=v:NoSchedule
    describe node walk-node
    delete node walk-node`),
  { args: "apply -f -", input: yaml('{x: "1"}') },
  { args: "diff -f -", input: yaml('{x: "1"}') },
  { args: "diff -f -", input: yaml('{x: "2"}') },
  { args: "apply -f - --dry-run=server", input: yaml('{x: "2"}') },
  { args: "apply -f -", input: yaml('{x: "2"}') },
  { args: "replace -f -", input: yaml('{x: "2"}') },
  { args: "-n walk edit cm ap", env: { EDITOR: "sed -i s/x:/y:/" } },
  ...say(`
    -n walk get cm ap -o jsonpath={.data}
    -n walk get cm --sort-by=.metadata.name
    -n walk wait --for=jsonpath={.data.y}=2 cm/ap --timeout=60s
    -n walk delete cm ap
    -n walk wait --for=delete cm/ap --timeout=60s
    -n walk get cm -w --request-timeout=5s
    -n walk delete pod p
    -n walk get pod p
    -n walk events
    explain deployment.spec.strategy
    explain pod.spec.containers.image
    auth can-i create pods
    auth can-i list secrets -n walk
    api-versions
    api-resources
    -n walk delete deploy,svc,job,cronjob,ing,pdb --all
    -n walk get all
    -n walk get nonsense
    -n walk get pod missing
    get --raw /api/v1/namespaces/walk/configmaps/missing`),
  { args: "create -n walk -f -", input: wrong },
  ...say("delete ns walk --wait=false"),
];

/** The output without times, names and numbers in which any two servers differ, and without upstream's prose. */
export function comparable(text: string): string {
  return withoutChance(text)
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
    .replace(/\d{4}-\d\d-\d\dT[\d:]+(?:Z|[+-]\d\d:\d\d)/g, "<time>")
    .replace(/\w{3}, \d\d \w{3} \d{4} [\d:]+ [+-]\d{4}/g, "<date>")
    .replace(/\d{4}-\d\d-\d\d [\d:.]+ [+-]\d{4}/g, "<date>")
    .replace(/"?resourceVersion"?: "\d+"/g, "<version>")
    .replace(/\b10\.\d+\.\d+\.\d+\b/g, "<ip>")
    .replace(/(LIVE|MERGED)-\d+/g, "<folder>")
    .replace(/\b(?:(?:\d+m)?\d+s|\d+m)\b/g, "<age>")
    .replace(/DESCRIPTION:[\s\S]*?(?=\nFIELDS:|$)/, "DESCRIPTION")
    .replace(
      /^(FIELDS:)([\s\S]*)$/m,
      (_, head: string, rest: string) => `${head}\n${(rest.match(/^ {2}\w+\t<.*$/gm) ?? []).join("\n")}`,
    )
    .replace(/[ \t]+/g, " ");
}

/**
 * A real server watches services and their addresses separately. If it sees a service first, it sometimes records an
 * event about it.
 */
function withoutChance(text: string): string {
  if (!text.includes("ClusterIPNotAllocated")) return text;
  return text
    .replace(/^.*ClusterIPNotAllocated.*\n/gm, "")
    .replace(/^(Events:)\n {2}Type .*\n {2}---- .*\n(?! {2}\S)/gm, "$1 <none>\n")
    .replace(/^LAST SEEN .*\n(?=\[0\]$)/gm, "No events found in walk namespace.\n");
}
