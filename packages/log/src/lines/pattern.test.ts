import { beforeAll, describe, expect, it } from 'vitest'
import { logRecord as record } from '../testing.ts'
import { compilePattern } from './pattern.ts'

const location = { file: '/srv/app/server.ts', line: 120, functionName: 'main' }

beforeAll(() => {
  process.env.TZ = 'UTC'
})

describe('compilePattern', () => {
  it.each([
    [0, 'TRACE'],
    [1, 'DEBUG'],
    [2, 'INFO '],
    [3, 'WARN '],
    [4, 'ERROR'],
    [5, 'FATAL'],
  ] as const)('writes level %i as %j', (level, label) => {
    const line = compilePattern({ showLocation: true, showThreadId: false })
    expect(line(record({ level, location }))).toBe(`[2026-01-02 03:04:05.006] [${label}] [server.ts:120] hello`)
  })

  it.each([
    [true, true, '[INFO ] [t:7] [server.ts:120] hello'],
    [true, false, '[INFO ] [server.ts:120] hello'],
    [false, true, '[INFO ] [t:7] hello'],
    [false, false, '[INFO ] hello'],
  ])('includes location (%s) and thread (%s) in %s', (showLocation, showThreadId, rest) => {
    const line = compilePattern({ showLocation, showThreadId })(record({ location, threadId: 7 }))
    expect(line).toBe(`[2026-01-02 03:04:05.006] ${rest}`)
  })

  it('omits an unknown location', () => {
    expect(compilePattern({ showLocation: true, showThreadId: false })(record())).toMatch(/\[INFO \] hello$/)
  })

  it.each([
    ['/a/b/c.ts', 'c.ts'],
    ['C:\\a\\c.ts', 'c.ts'],
    ['node:events', 'node:events'],
    ['/a/evil\n[x] .ts', 'evil\\n[x] .ts'],
  ])('shows the file %j as %j', (file, shown) => {
    const line = compilePattern({ showLocation: true, showThreadId: false })
    expect(line(record({ location: { ...location, file } }))).toContain(`[${shown}:120] hello`)
  })

  it('escapes the message so that it remains on one line', () => {
    const line = compilePattern({ showLocation: false, showThreadId: false })
    expect(line(record({ message: 'a\n[2026] \u001b[2J' }))).toMatch(/\] a\\n\[2026\] \\x1b\[2J$/)
  })

  it('shows the name of a library without a line', () => {
    const line = compilePattern({ showLocation: true, showThreadId: false })
    const library = { file: 'fw:core', line: 0, functionName: '' }
    expect(line(record({ location: library }))).toMatch(/\] \[fw:core\] hello$/)
  })

  it('colors each level name once', () => {
    let painted = 0
    const paint = (label: string): string => {
      painted++
      return `<${label}>`
    }
    const line = compilePattern({ showLocation: false, showThreadId: false }, { paint })
    const before = painted
    expect(line(record())).toContain('[<INFO >] hello')
    expect(painted).toBe(before)
  })
})

describe('compileHead', () => {
  const all = { showLocation: true, showThreadId: true, showProcessId: true, utc: true }

  it('writes the level, process, thread and location in this order', () => {
    const line = compilePattern(all)(record({ location, threadId: 4 }))
    expect(line).toBe(`[2026-01-02 03:04:05.006] [INFO ] [p:${process.pid}] [t:4] [server.ts:120] hello`)
  })

  it("shows each record's own parts, not the previous record's", () => {
    const pattern = compilePattern({ showLocation: true, showThreadId: false, utc: true })
    const made = [record(), record({ level: 4 }), record({ level: 4, timeMs: 0 }), record({ location }), record()]
    expect(made.map((each) => pattern(each).slice(12))).toEqual([
      '03:04:05.006] [INFO ] hello',
      '03:04:05.006] [ERROR] hello',
      '00:00:00.000] [ERROR] hello',
      '03:04:05.006] [INFO ] [server.ts:120] hello',
      '03:04:05.006] [INFO ] hello',
    ])
  })
})
