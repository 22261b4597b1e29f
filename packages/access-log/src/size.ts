/**
 * A number of octets for people: `<n> B` below 1024, else `<n.n> KB` of 1024 octets, however large.
 *
 * @example
 * formatSize(1536)   // '1.5 KB'
 */
export function formatSize(octets: number): string {
  if (octets < 1024) return `${octets} B`
  const tenths = Math.round((octets * 10) / 1024)
  const rest = tenths % 10
  return `${(tenths - rest) / 10}.${rest} KB`
}
