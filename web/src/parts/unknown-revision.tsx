/** Said in the place of objects of a moment whose revision nobody knows. */
import type { JSX } from "preact";
import { openedRecording } from "../recording/opened.js";
import type { Moment } from "../state/moment.js";
import { Empty } from "./small.js";

/** Without its revision, the server cannot be asked for the objects of a moment; a recording is not asked for them. */
export const isRevisionUnknown = (moment: Moment | undefined): boolean =>
  moment?.revision === "" && openedRecording() === undefined;

export function UnknownRevision(): JSX.Element {
  return (
    <Empty title="The objects of this moment are not remembered">
      Neither the journal nor an informer knows the cluster’s revision then. Move the slider to a later moment.
    </Empty>
  );
}
