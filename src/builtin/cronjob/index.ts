/** The CronJob controller: makes a Job at each time of the schedule. */
import type { ControllerDescriptor } from "../kit/context.js";
import { CronJobController } from "./controller.js";

export const cronJobController: ControllerDescriptor = {
  name: "cronjob-controller",
  aliases: ["cronjob"],
  create: (context) => new CronJobController(context),
};
