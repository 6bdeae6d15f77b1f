/** A kind was named that the server does not know: it never did, or it was installed a moment ago. */
export class NoKindMatchError extends Error {
  override readonly name = "NoKindMatchError";
}
