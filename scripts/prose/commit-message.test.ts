import { describe, expect, it } from 'vitest'
import { problemsOfMessage, problemsOfSubject } from './commit-message.ts'

describe('problemsOfSubject', () => {
  it.each([
    'http1: reject a second Host field',
    'core/app, core/response: shorten long sentences',
    'sse: embed the id of an event',
    'options: process a list, and pass it on',
    'ci: bring back the cache',
    `core: ${'add'.padEnd(66, 'd')}`,
  ])('accepts %j', (subject) => {
    expect(problemsOfSubject(subject)).toEqual([])
  })

  it.each([
    ['http1: rejects a second Host field', '"rejects" is not an imperative'],
    ['http1: rejected a second Host field', '"rejected" is not an imperative'],
    ['http1: rejecting a second Host field', '"rejecting" is not an imperative'],
    ['http1: Reject a second Host field', '"Reject" is not an imperative'],
    ['Http1: reject a second Host field', 'no area'],
    ['reject a second Host field', 'no area'],
    ['http1: reject a second Host field.', 'ends with a period'],
    [`core: ${'add'.padEnd(67, 'd')}`, 'has 73 characters'],
  ])('rejects %j: %s', (subject, problem) => {
    expect(problemsOfSubject(subject)).toEqual([expect.stringContaining(problem)])
  })
})

describe('problemsOfMessage', () => {
  it('accepts a body with lines of 100 characters and a longer URL', () => {
    const lines = ['x '.repeat(50), `https://example.com/${'x'.repeat(100)}`]
    expect(problemsOfMessage(['core: add a limit', '', ...lines].join('\n'))).toEqual([])
  })

  it.each([
    ['core: add a limit\nof bytes', 'the second line is not empty'],
    [`core: add a limit\n\n${'x '.repeat(50)}x`, 'a line of the body has 101 characters'],
  ])('rejects %j: %s', (message, problem) => {
    expect(problemsOfMessage(message)).toEqual([expect.stringContaining(problem)])
  })
})
