import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../src/index.ts'

const CORE = new URL('../src/', import.meta.url)
const TYPES = new URL('../../types/src/', import.meta.url)
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

/** Words in the code spans and code blocks of the README. */
const named = new Set(
  Array.from(readme.matchAll(/```[^]*?```|`[^`\n]+`/g), ([code]) => code.match(/[A-Za-z_]\w*/g) ?? []).flat(),
)

/** Names exported by the entry point: types, functions, classes and constants. */
const exported = Array.from(readFileSync(new URL('index.ts', CORE), 'utf8').matchAll(/\{([^}]*)\}/g), ([, list = '']) =>
  list.split(',').map((name) => name.replace(/^\s*type /, '').trim()),
)
  .flat()
  .filter((name) => name !== '')

const sources = [CORE, TYPES].flatMap((folder) =>
  globSync('**/*.ts', { cwd: fileURLToPath(folder) })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => readFileSync(new URL(path, folder), 'utf8')),
)

/** Returns the public members of an exported interface or class, which are declared one level deep. */
function membersOf(name: string): string[] {
  const isAlias = sources.some((source) => new RegExp(`^export type ${name}\\b`, 'm').test(source))
  if (isAlias) return []
  const start = new RegExp(`^export (?:interface|class) ${name}\\b[^\\n]*\\{\\n([^]*?)^\\}`, 'm')
  const body = sources.map((source) => start.exec(source)?.[1]).find((found) => found !== undefined) ?? ''
  const declarations = body.replaceAll(/\/\*\*(?:(?!\*\/)[^])*@internal[^]*?\*\/\n.*\n/g, '')
  const member = /^ {2}(?:readonly |async |get |set |static )*([a-zA-Z]\w*)\??(?:<[^\n]*?>)?[(:]/gm
  return [...new Set(Array.from(declarations.matchAll(member), ([, found = '']) => found))].filter(
    (found) => found !== 'constructor',
  )
}

describe('the README', () => {
  it('finds the members of known declarations', () => {
    expect(membersOf('Context')).toEqual(expect.arrayContaining(['method', 'json', 'status', 'onDrain']))
    expect(membersOf('Server')).toEqual(expect.arrayContaining(['router', 'listen', 'url', 'close']))
    expect(membersOf('GroupRouter')).toEqual(expect.arrayContaining(['get', 'route', 'group', 'notFound']))
  })

  it.each(exported)('names %s and all its members', (name) => {
    expect([name, ...membersOf(name)].filter((each) => !named.has(each))).toEqual([])
  })

  it('contains the default of every limit', () => {
    const missing = Object.entries(DEFAULT_LIMITS).filter(
      ([name, value]) => !new RegExp(`\\| \`${name}\` +\\| ${(value as number).toLocaleString('en')} `).test(readme),
    )
    expect(missing).toEqual([])
  })
})
