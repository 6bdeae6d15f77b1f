/** The plural of a kind's name, as Kubernetes' own tools guess it. */
export function pluralOf(lower: string): string {
  if (/(?:s|x|z|ch|sh)$/.test(lower)) return `${lower}es`;
  return /[^aeiou]y$/.test(lower) ? `${lower.slice(0, -1)}ies` : `${lower}s`;
}
