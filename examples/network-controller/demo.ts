/** Plays a user of the controller and prints, line by line, how the controller reacts. */
import { type Client, installDefinition } from "coxswain";
import { isInvalid } from "coxswain/api";
import { messageOf } from "coxswain/base";
import { Network, networkDefinition } from "./network.js";

export async function demo(client: Client, say: (line: string) => void, signal: AbortSignal): Promise<void> {
  const networks = client.resource(Network, { namespace: "default" });
  const until = { signal };
  await installDefinition(client, networkDefinition(), until);
  const create = (name: string, cidr: string, gateway: string): Promise<Network> => {
    say(`you create Network ${name}: ${cidr}, gateway ${gateway}`);
    return networks.create({ metadata: { name }, spec: { cidr, gateway } }, until);
  };

  await create("blue", "192.168.0.0/16", "192.168.0.1");
  const blue = await networks.waitFor("blue", (network) => network?.status?.phase === "Ready", until);
  say(`the fabric has built it: VLAN ${blue?.status?.vlan}, ${blue?.status?.usableAddresses} addresses`);

  await create("green", "192.168.1.0/24", "192.168.1.1");
  const green = await networks.waitFor("green", (network) => network?.status?.phase === "Refused", until);
  say(`it is refused: ${green?.status?.message}`);

  say("you delete blue");
  await networks.delete("blue", until);
  const built = await networks.waitFor("green", (network) => network?.status?.phase === "Ready", until);
  say(`now green has its place: VLAN ${built?.status?.vlan}`);

  try {
    await create("wrong", "10.0.0.0/24", "10.9.9.9");
  } catch (error) {
    if (!isInvalid(error)) throw error;
    say(`the server refuses it before the controller hears of it: ${messageOf(error)}`);
  }
}
