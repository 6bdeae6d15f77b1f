/** The Job controller: runs pods until enough of them have succeeded, and counts every one exactly once. */
import type { ControllerDescriptor } from "../kit/context.js";
import { JobController } from "./controller.js";

export const jobController: ControllerDescriptor = {
  name: "job-controller",
  aliases: ["job"],
  create: (context) => new JobController(context),
};
