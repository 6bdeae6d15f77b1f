/** The moment that the page shows: a time and a revision of the cluster, in the address as `at=time-revision`; none for now. */
import { createContext } from "preact";

export interface Moment {
  /** Milliseconds since the epoch, by the server's clock. */
  readonly at: number;
  /** The newest revision of the cluster at that time; "" if it is not known. */
  readonly revision: string;
}

/** Undefined for now, and for an address that names no moment. */
export function momentOf(settings: Readonly<Record<string, string>>): Moment | undefined {
  const [, at = "", revision = ""] = /^(\d{1,16})-(\d{0,40})$/.exec(settings["at"] ?? "") ?? [];
  return at === "" ? undefined : { at: Number(at), revision };
}

export const momentText = ({ at, revision }: Moment): string => `${Math.round(at)}-${revision}`;

/** The moment as settings of a question to the process; none for now. */
export function momentQuery(moment: Moment | undefined): Readonly<Record<string, string>> {
  return moment === undefined ? {} : { at: moment.revision, until: String(moment.at) };
}

export const ShownMoment = createContext<Moment | undefined>(undefined);
