import { expect, it } from 'vitest'
import { fileURLToPath } from 'node:url'
import { handlerSources } from '../app/routes.ts'
import { statement } from './handler-sources.ts'

const FILE = fileURLToPath(new URL('../app/routes.ts', import.meta.url))

it('finds the source of every shown route', () => {
  const { all } = handlerSources()
  expect(Object.keys(all)).toEqual(
    expect.arrayContaining(['/*path', '/api/hello/:name', '/api/orders/:id', '/api/echo']),
  )
  expect(all['/api/hello/:name']?.lines.at(0)).toBe("api.get('/hello/:name', async (ctx) => {")
  expect(all['/api/hello/:name']?.lines.at(-1)).toBe('})')
})

it('maps the location of a log call to a line of its handler', () => {
  const sources = handlerSources()
  const { firstLine = 0, lines = [] } = sources.all['/api/hello/:name'] ?? {}
  const index = lines.findIndex((line) => line.includes('log.info'))
  expect(index).toBeGreaterThan(0)
  expect(sources.lineOf({ file: FILE, line: firstLine + index })).toBe(index)
  expect(sources.lineOf({ file: FILE, line: 1 })).toBeUndefined()
  expect(sources.lineOf({ file: '/elsewhere.ts', line: firstLine + index })).toBeUndefined()
  expect(sources.lineOf(undefined)).toBeUndefined()
})

it.each([
  [
    ['  a(() => {', '    b()', '  })', '  c()'],
    ['a(() => {', '  b()', '})'],
  ],
  [['  a()', '  b()'], ['a()']],
  [
    ['a({', '', '  b,', '})'],
    ['a({', '', '  b,', '})'],
  ],
])('returns the first statement of %j', (lines, own) => {
  expect(statement(lines)).toEqual(own)
})
