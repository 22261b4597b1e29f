/** Contents of files by relative path with slashes. */
export type Files = Readonly<Record<string, string>>

/** Values of placeholders: `{{name}}` is replaced with the value of `name`. */
export type Placeholders = Readonly<Record<string, string>>

type Json = Readonly<Record<string, unknown>>

/**
 * File names by their names in templates. Package managers exclude `.gitignore` files from packages, so templates use
 * another name.
 */
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore' }

/**
 * Merges the files of layers. A `README.md` is appended to the earlier ones, a `package.json` adds its members, and any other
 * file replaces an earlier file with the same path.
 *
 * @throws {Error} for a placeholder without a value
 */
export function mergeLayers(layers: readonly Files[], placeholders: Placeholders): Files {
  const merged: Record<string, string> = {}
  for (const [path, content] of layers.flatMap((layer) => Object.entries(layer))) {
    const earlier = merged[path]
    if (earlier === undefined) merged[path] = content
    else if (path === 'README.md') merged[path] = `${earlier}\n${content}`
    else if (path === 'package.json') merged[path] = mergeJson(earlier, content)
    else merged[path] = content
  }
  return Object.fromEntries(
    Object.entries(merged).map(([path, content]) => [
      fill(RENAMED[path] ?? path, placeholders),
      fill(content, placeholders),
    ]),
  )
}

function mergeJson(earlier: string, later: string): string {
  const merged: Record<string, unknown> = { ...(JSON.parse(earlier) as Json) }
  for (const [name, value] of Object.entries(JSON.parse(later) as Json)) {
    merged[name] = typeof value === 'object' ? { ...(merged[name] as Json | undefined), ...value } : value
  }
  return `${JSON.stringify(merged, null, 2)}\n`
}

function fill(text: string, placeholders: Placeholders): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = placeholders[name]
    if (value === undefined) throw new Error(`The placeholder {{${name}}} has no value`)
    return value
  })
}
