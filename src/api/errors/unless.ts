/** Forgives the errors that a caller expects, such as the absence of an object that it deletes. */

/**
 * For `catch`: gives undefined for an error that one of the guards knows, and throws any other.
 * `await pods.delete(name).catch(unless(isNotFound))`
 */
export const unless =
  (...expected: readonly ((error: unknown) => boolean)[]) =>
  (error: unknown): undefined => {
    if (!expected.some((isExpected) => isExpected(error))) throw error;
  };
