import { describe, expect, it } from 'vitest'
import { checkMetadata } from './metadata.ts'

const GOOD = { name: 'a', description: 'Does it', keywords: ['a', 'b', 'c'], author: 'fw contributors', license: 'MIT' }

describe('checkMetadata', () => {
  it('accepts complete metadata', () => {
    expect(checkMetadata(GOOD)).toEqual([])
  })

  it.each([
    [{ description: '' }, 'a has no description'],
    [{ keywords: ['a', 'b'] }, 'a must have at least 3 keywords'],
    [{ keywords: ['b', 'a', 'c'] }, 'a: keywords must be in alphabetical order'],
    [{ author: 'x' }, 'a: author must be "fw contributors"'],
    [{ license: 'ISC' }, 'a: license must be "MIT"'],
  ])('rejects %j', (fields, problem) => {
    expect(checkMetadata({ ...GOOD, ...fields })).toEqual([problem])
  })
})
