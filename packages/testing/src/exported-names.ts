/**
 * Returns the names that a module exports, including types. Names in export lists precede those in declarations.
 *
 * @param source TypeScript source; `export *` is not supported
 *
 * @example
 * exportedNames(`export { a, type B, c as with } from './x.ts'`)    // ['a', 'B', 'with']
 */
export function exportedNames(source: string): string[] {
  const lists = source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)
  const declarations = source.matchAll(/^export (?:abstract |async )?(?:class|const|function|interface|type) (\w+)/gm)
  const listed = Array.from(lists, ([, list = '']) => list.split(',').map((item) => /\w+$/.exec(item.trim())?.[0]))
  return [...listed.flat(), ...Array.from(declarations, ([, name]) => name)].filter((name) => name !== undefined)
}
