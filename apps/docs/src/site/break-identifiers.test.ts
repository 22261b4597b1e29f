import { describe, expect, it } from 'vitest'
import { breakIdentifiers } from './break-identifiers.ts'

interface Element {
  type: string
  tagName: string
  children: (Element | { type: 'text'; value: string })[]
}

const element = (tagName: string, ...children: Element['children']): Element => ({ type: 'element', tagName, children })
const text = (value: string): { type: 'text'; value: string } => ({ type: 'text', value })

/** Returns the words of a code span inside the elements. */
function wordsIn(outer: string, value: string): string {
  const code = element('code', text(value))
  breakIdentifiers()(element(outer, element('td', code)))
  return code.children.map((child) => ('value' in child ? child.value : `<${child.tagName}>`)).join('')
}

describe('breakIdentifiers', () => {
  it.each([
    ['maxHeadBytes', 'max<wbr>Head<wbr>Bytes'],
    ['limits.maxBodyBytes', 'limits.<wbr>max<wbr>Body<wbr>Bytes'],
    ['FW_INVALID', 'FW_<wbr>INVALID'],
    ['http3', 'http3'],
    ['...rest', '...<wbr>rest'],
  ])('breaks %s between its words', (value, words) => {
    expect(wordsIn('table', value)).toBe(words)
  })

  it('does not change code outside tables', () => {
    expect(wordsIn('p', 'maxHeadBytes')).toBe('maxHeadBytes')
  })
})
