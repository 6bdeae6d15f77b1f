/** The form of the descriptions: by type, and within a type by field; the empty field is the type itself. */
export type Words = Readonly<Record<string, Readonly<Record<string, string>>>>;
