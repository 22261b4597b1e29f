import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../src/index.ts'

const CORE = new URL('../src/', import.meta.url)
const TYPES = new URL('../../types/src/', import.meta.url)
const PACKAGE = new URL('../', import.meta.url)
const MAX_PAGE_LINES = 150

/** The README and the other pages by path. */
const pages = new Map(
  globSync(['README.md', 'docs/*.md'], { cwd: fileURLToPath(PACKAGE) }).map((path) => [
    path,
    readFileSync(new URL(path, PACKAGE), 'utf8'),
  ]),
)
const readme = pages.get('README.md') ?? ''

/** The words in code spans and code blocks of all pages. */
const named = new Set(
  Array.from(
    [...pages.values()].join('\n').matchAll(/```[^]*?```|`[^`\n]+`/g),
    ([code]) => code.match(/[A-Za-z_]\w*/g) ?? [],
  ).flat(),
)

/** Names that the entry point exports: types, functions, classes and constants. */
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

/** The public members of an exported interface or class, which are one level deep in its declaration. */
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

describe('the documentation', () => {
  it('covers the members of classes and interfaces', () => {
    expect(membersOf('Context')).toEqual(expect.arrayContaining(['method', 'json', 'status', 'onDrain']))
    expect(membersOf('Server')).toEqual(expect.arrayContaining(['router', 'listen', 'url', 'close']))
    expect(membersOf('GroupRouter')).toEqual(expect.arrayContaining(['get', 'route', 'group', 'notFound']))
  })

  it.each(exported)('names %s and all its members', (name) => {
    expect([name, ...membersOf(name)].filter((each) => !named.has(each))).toEqual([])
  })

  it('states the default of every limit', () => {
    const missing = Object.entries(DEFAULT_LIMITS).filter(([name, value]) => {
      // The default of one limit depends on the machine's memory.
      const shown = name === 'maxBufferedBytes' ? 'a quarter' : (value as number).toLocaleString('en')
      return pages.get('docs/limits.md')?.search(new RegExp(`\\| \`${name}\` +\\| ${shown} `)) === -1
    })
    expect(missing).toEqual([])
  })
})

it.each([...pages])(`keeps %s within ${MAX_PAGE_LINES} lines`, (_path, text) => {
  expect(text.split('\n').length - 1).toBeLessThanOrEqual(MAX_PAGE_LINES)
})

it('links every page from the README', () => {
  expect([...pages.keys()].filter((path) => path !== 'README.md' && !readme.includes(`](${path})`))).toEqual([])
})
