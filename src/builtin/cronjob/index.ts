/** The CronJob controller: makes a Job whenever the schedule says so. */
import type { ControllerDescriptor } from "../kit/context.js";
import { CronJobController } from "./controller.js";

export const cronJobController: ControllerDescriptor = {
  name: "cronjob-controller",
  aliases: ["cronjob"],
  create: (context) => new CronJobController(context),
};
