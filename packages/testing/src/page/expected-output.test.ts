import { describe, expect, it } from 'vitest'
import {
  commandsOf,
  containsOutput,
  loggedComments,
  matchesOutput,
  outputByLine,
  scriptOf,
  withLineNumbers,
} from './expected-output.ts'

describe('commandsOf', () => {
  it('returns each command with its output lines', () => {
    expect(commandsOf('$ cd a\n$ ls\none\ntwo\n')).toEqual([
      { command: 'cd a', output: [] },
      { command: 'ls', output: ['one', 'two'] },
    ])
  })

  it('continues a command after a backslash', () => {
    expect(commandsOf('$ curl \\\n  -k a\nok\n')).toEqual([{ command: 'curl \\\n  -k a', output: ['ok'] }])
  })
})

describe('scriptOf', () => {
  it('returns the command on each line without its comment', () => {
    expect(scriptOf('npm init -y # once\n\n# a comment\ncurl a#b \\\n  -k\n')).toEqual([
      'npm init -y',
      'curl a#b    -k',
    ])
  })
})

describe('matchesOutput', () => {
  it.each([
    ['ok\n', ['ok']],
    ['{"id":"a1"}', ['{"id":"[…]"}']],
    ['1\n2\n3\n', ['1', '[…]', '3']],
    ['[2027-01-02 03:04:05.678] [INFO ] Ready', ['[2026-11-21 16:17:29.555] [INFO ] Ready']],
    ['\u001B[32mok\u001B[39m\n', ['ok']],
  ])('accepts %j as %j', (output, expected) => {
    expect(matchesOutput(output, expected)).toBe(true)
  })

  it.each([
    ['not ok\n', ['ok']],
    ['ok\nmore\n', ['ok']],
    ['before\nok\n', ['ok']],
    ['{"id":"a"}\n', ['{"id":"[…]"']],
    ['axb\n', ['a.b']],
    ['[today] Ready', ['[2026-11-21 16:17:29.555] Ready']],
    ['1\n2\n', ['1', '[…]', '3']],
  ])('rejects %j as %j', (output, expected) => {
    expect(matchesOutput(output, expected)).toBe(false)
  })
})

describe('containsOutput', () => {
  it('finds each expected line among other lines', () => {
    expect(containsOutput('[12:00] Starting\n[12:01] Listening on 1\n', ['[…] Listening on 1'])).toBe(true)
    expect(containsOutput('[12:00] Starting\n', ['[…] Listening on 1'])).toBe(false)
  })
})

describe('loggedComments', () => {
  it('returns the comment after a console.log call, or on the next line', () => {
    expect(loggedComments('console.log(a) // 1\nb()\nconsole.log(c)\n// 2\nconsole.log(d)\n')).toEqual(
      new Map([
        [0, '1'],
        [2, '2'],
      ]),
    )
  })
})

describe('outputByLine', () => {
  it('returns the output of each numbered call, with repeated calls separated by commas', () => {
    expect(withLineNumbers('console.log(a)\nconsole.log(b)', [1])).toBe("console.log(a)\nconsole.log('@1@', b)")
    const record = '[2027-01-02 03:04:05.678] [INFO ] [a.ts:1] GET / 200\n'
    expect(outputByLine(`@1@ one\n${record}@3@ two\nlines\n@1@ three\n`)).toEqual(
      new Map([
        [1, 'one, three'],
        [3, 'two\nlines'],
      ]),
    )
  })
})
