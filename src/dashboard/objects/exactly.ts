/** The options of a list that shows the past: takes a revision of the cluster, "" for now. Pure. */
export const exactly = (at: string): { readonly resourceVersion?: string; readonly resourceVersionMatch?: "Exact" } =>
  at === "" ? {} : { resourceVersion: at, resourceVersionMatch: "Exact" };
