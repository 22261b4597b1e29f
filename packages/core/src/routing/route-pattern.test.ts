import { describe, expect, it } from 'vitest'
import { parsePattern } from './route-pattern.ts'

const literals = (...texts: string[]) => texts.map((text) => ({ kind: 'literal', text }))

describe('parsePattern', () => {
  it('parses literals, parameters, optional parameters and a wildcard', () => {
    expect(parsePattern('/a/:b/:c-d?/:_e?')).toEqual([
      { kind: 'literal', text: 'a' },
      { kind: 'param', name: 'b', isOptional: false },
      { kind: 'param', name: 'c-d', isOptional: true },
      { kind: 'param', name: '_e', isOptional: true },
    ])
    expect(parsePattern('/files/*path')).toEqual([
      { kind: 'literal', text: 'files' },
      { kind: 'wildcard', name: 'path' },
    ])
  })

  it('keeps empty segments and text that only resembles syntax', () => {
    expect(parsePattern('/')).toEqual(literals(''))
    expect(parsePattern('/a//b/')).toEqual(literals('a', '', 'b', ''))
    expect(parsePattern('/items:batch/100%/é (x)')).toEqual(literals('items:batch', '100%', 'é (x)'))
  })

  it.each([
    ['', 0, 'router: path must start with'],
    ['users', 0, 'path must start with'],
    ['/a/:', 3, 'name each parameter'],
    ['/a/:?', 3, 'name each parameter'],
    ['/a/*', 3, 'name each wildcard'],
    ['/user/:id(\\d+)', 9, 'no expressions, because the route option "params" checks'],
    ['/user/:id{[0-9]+}', 9, 'no expressions'],
    ['/user/:id<int>', 9, 'no expressions'],
    ['/:name.json', 6, 'whole segment'],
    ['/:0', 2, 'letters'],
    ['/*path?', 6, 'whole segment'],
    ['/a*b', 2, 'whole segment'],
    ['/*path/x', 7, 'end with its wildcard'],
    ['/:a?/x', 5, 'after an optional'],
    ['/:a?/:b', 5, 'after an optional'],
    ['/:a?/*b', 5, 'after an optional'],
    ['/:a/x/:a', 6, `use the name 'a' once`],
    ['/a?b=1', 2, 'query'],
    ['/a#b', 2, 'fragment'],
    ['/caf%C3%A9', 4, 'decoded'],
  ])('rejects %j at index %i', (pattern, index, fault) => {
    expect(() => parsePattern(pattern)).toThrow(TypeError)
    expect(() => parsePattern(pattern)).toThrow(fault)
    expect(() => parsePattern(pattern)).toThrow(`(at index ${index})`)
  })
})
