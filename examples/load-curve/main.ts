/** `npm run example -- load-curve [LOAD]`: plots a virtual day of autoscaling on the terminal. */
import { playDay, plotOf } from "./day.js";

const usual = "total 0s=500m,7h=500m,9h=4,12h=3,14h=5,18h=2,21h=500m every 24h ~5%";

export async function main([load = usual]: readonly string[]): Promise<number> {
  console.log(`load: ${load}\n time  CPU  replicas`);
  for (const line of plotOf(await playDay({ load, everyMinutes: 30 }))) console.log(line);
  return 0;
}
