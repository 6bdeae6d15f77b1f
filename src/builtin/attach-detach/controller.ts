/** The attach/detach controller: attaches the volumes of CSI drivers to the nodes whose pods need them, and detaches them. */
import { isAlreadyExists, isNotFound, Node, type Pod, unless, VolumeAttachment } from "../../api/index.js";
import type { KeyLoop, KeyRun, SyncResult } from "../../controller/index.js";
import type { FactoryInformer } from "../../informer/index.js";
import { isInUse } from "../../placement/attachments.js";
import type { BuiltInController, ControllerContext, Recorder } from "../kit/context.js";
import { keyLoop } from "../kit/loops.js";
import { type AttachStep, attachSteps, multiAttachMessage, type WantedVolume } from "./plan.js";
import { WantedVolumes } from "./view.js";

const attachmentsOfNode = "attachments-of-node";
const attachmentsOfVolume = "attachments-of-volume";

/** A refusal that may end by itself is looked at again after this time. */
const againMs = 1_000;

interface Acting {
  readonly node: string;
  readonly client: KeyRun["client"];
}

export class AttachDetach implements BuiltInController {
  readonly loops: readonly [KeyLoop];
  readonly #context: ControllerContext;
  readonly #recorder: Recorder;
  readonly #nodes: FactoryInformer<Node>;
  readonly #attachments: FactoryInformer<VolumeAttachment>;
  readonly #wanted: WantedVolumes;
  /** Invariant: an attachment is in it if and only if its node's last run found it to be of no use. */
  readonly #unwanted = new Map<string, number>();
  /** By node: the wanted volumes that cannot be attached, as far as pods have been told. */
  readonly #told = new Map<string, ReadonlySet<string>>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#recorder = context.recorderFor("attachdetach-controller");
    this.#nodes = context.informers.informer(Node);
    this.#attachments = context.informers.informer(VolumeAttachment);
    this.#attachments.addIndexers({
      [attachmentsOfNode]: ({ spec }) => [spec.nodeName],
      [attachmentsOfVolume]: ({ spec }) => (spec.source.persistentVolumeName ? [spec.source.persistentVolumeName] : []),
    });
    this.#wanted = new WantedVolumes(context.informers);
    const awaits = [this.#attachments, this.#nodes];
    const sync = (run: KeyRun): Promise<SyncResult | void> => this.#sync(run);
    const loop = keyLoop(context, { name: "attachdetach", kind: "Node", workers: 10, awaits, sync });
    this.loops = [loop];
    loop.follow(this.#nodes);
    this.#wanted.wakes(loop);
    loop.watch(this.#attachments, ({ type, object: { metadata, spec } }, wake) => {
      wake(spec.nodeName);
      if (type !== "deleted") return;
      this.#unwanted.delete(metadata.name);
      // the volume is free for a node that waits for it
      for (const node of this.#wanted.nodesOf(spec.source.persistentVolumeName ?? "")) wake(node);
    });
  }

  async #sync({ key, client }: KeyRun): Promise<SyncResult | void> {
    const node = this.#nodes.indexer.get(key);
    const attachments = this.#attachments.indexer.byIndex(attachmentsOfNode, key);
    const wanted = node === undefined ? [] : this.#wanted.on(node);
    this.#forget(key, wanted);
    if (attachments.length + wanted.length + (node?.status?.volumesAttached ?? []).length === 0) return;
    const now = this.#context.clock.now();
    const needed = new Set(wanted.map(({ volume }) => volume.metadata.name));
    for (const { metadata, spec } of attachments) {
      if (needed.has(spec.source.persistentVolumeName ?? "")) this.#unwanted.delete(metadata.name);
      else if (!this.#unwanted.has(metadata.name)) this.#unwanted.set(metadata.name, now);
    }
    const elsewhere = (volume: string): VolumeAttachment[] =>
      this.#attachments.indexer.byIndex(attachmentsOfVolume, volume).filter(({ spec }) => spec.nodeName !== key);
    const unwantedSince = (name: string): number => this.#unwanted.get(name) ?? now;
    const steps = attachSteps({ nodeName: key, node, wanted, attachments, now, elsewhere, unwantedSince });
    const waits: number[] = [];
    for (const step of steps) waits.push(...(await this.#act(step, { node: key, client })));
    return waits.length === 0 ? {} : { requeueAfterMs: Math.min(...waits) };
  }

  /** Gives the times after which the node has to be looked at again. */
  async #act(step: AttachStep, acting: Acting): Promise<readonly number[]> {
    const { node, client } = acting;
    switch (step.type) {
      case "report": {
        const merge = { status: { volumesAttached: step.volumes } };
        await client.resource(Node).status.patch(node, { merge }).catch(unless(isNotFound));
        return [];
      }
      case "attach":
        await client.resource(VolumeAttachment).create(step.attachment).catch(unless(isAlreadyExists));
        return [];
      case "attached": {
        const message = `AttachVolume.Attach succeeded for volume "${step.volume.volume.metadata.name}" `;
        for (const pod of step.volume.pods) this.#recorder.normal(pod, "SuccessfulAttachVolume", message);
        return [];
      }
      case "failed": {
        const message = `AttachVolume.Attach failed for volume "${step.volume.volume.metadata.name}" : ${step.message}`;
        this.#tell(node, step.volume, () => message);
        return [];
      }
      case "elsewhere": {
        const users = step.attachments.flatMap(({ spec }) => this.#usersOn(spec.nodeName, step.volume.name));
        this.#tell(node, step.volume, (pod) => multiAttachMessage(pod, step.volume.volume, users));
        return [againMs];
      }
      case "detach":
        return (await this.#detach(step, acting)) ? [] : [againMs];
      case "wait":
        return [step.forMs];
    }
  }

  /** A volume that is wanted again later may be refused again. */
  #forget(node: string, wanted: readonly WantedVolume[]): void {
    const known = this.#told.get(node);
    if (known === undefined) return;
    const left = wanted.filter(({ name }) => known.has(name)).map(({ name }) => name);
    if (left.length === 0) this.#told.delete(node);
    else this.#told.set(node, new Set(left));
  }

  /** Tells the pods once of each refusal. */
  #tell(node: string, { name, pods }: WantedVolume, messageFor: (pod: Pod) => string): void {
    const known = this.#told.get(node);
    if (known?.has(name)) return;
    this.#told.set(node, new Set([...(known ?? []), name]));
    for (const pod of pods) this.#recorder.warning(pod, "FailedAttachVolume", messageFor(pod));
  }

  #usersOn(nodeName: string, volume: string): readonly Pod[] {
    const node = this.#nodes.indexer.get(nodeName);
    return node === undefined ? [] : (this.#wanted.on(node).find(({ name }) => name === volume)?.pods ?? []);
  }

  /** False if the node still uses the volume: the cache may be behind its last report. */
  async #detach(step: Extract<AttachStep, { type: "detach" }>, { node, client }: Acting): Promise<boolean> {
    const { attachment, volume, forced } = step;
    if (!forced && volume !== undefined) {
      const live = await client.resource(Node).getOrUndefined(node);
      if (isInUse(live, volume)) return false;
    }
    await client.resource(VolumeAttachment).delete(attachment).catch(unless(isNotFound));
    return true;
  }
}
