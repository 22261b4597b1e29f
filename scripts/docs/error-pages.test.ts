import { describe, expect, it } from 'vitest'
import { fillCodes, fillMessages, pageFaults } from './error-pages.ts'

const PAGE = `# FW_A

What is wrong,
in one sentence.

<!-- messages -->
stale
<!-- end of messages -->

## Cause

Why.

## Fix

How.

## Example

\`\`\`ts
throw 1
\`\`\`
`

describe('fillMessages', () => {
  const site = { at: 'a.ts:1', name: 'TypeError', codes: ['FW_A'], messages: ['x: $& must be […].', 'a'] }

  it('writes each message once, sorted, and keeps the rest of the page', () => {
    const filled = fillMessages(PAGE, [site, { ...site, name: 'Error' }, site])
    const block = '```text\nError: a\nError: x: $& must be […].\nTypeError: a\nTypeError: x: $& must be […].\n```'
    expect(filled).toBe(PAGE.replace('stale', () => `\n${block}\n`))
    expect(fillMessages(filled, [site, { ...site, name: 'Error' }])).toBe(filled)
  })

  it('throws if the markers are missing', () => {
    expect(() => fillMessages('# FW_A\n', [site])).toThrow('# FW_A has no <!-- messages -->')
  })
})

describe('fillCodes', () => {
  it('writes one line for each page', () => {
    const list = '<!-- error codes -->\n<!-- end of error codes -->'
    expect(fillCodes(list, new Map([['FW_A', PAGE]]))).toBe(`<!-- error codes -->
<!-- prose-check off -->

| code                                   | meaning                         |
| -------------------------------------- | ------------------------------- |
| [\`FW_A\`](../../../docs/errors/FW_A.md) | What is wrong, in one sentence. |

<!-- prose-check on -->
<!-- end of error codes -->`)
  })
})

describe('pageFaults', () => {
  it('accepts a complete page', () => {
    expect(pageFaults('FW_A', PAGE)).toEqual([])
  })

  it.each([
    ['a different title', PAGE.replace('FW_A', 'FW_B'), 'must start with "# FW_A"'],
    ['no sentence', PAGE.replace('What is wrong,\nin one sentence.\n\n', ''), 'must state the problem in one sentence'],
    ['no cause', PAGE.replace('## Cause', '## Reason'), 'must have the part "## Cause"'],
    ['no fix', PAGE.replace('## Fix', '## Remedy'), 'must have the part "## Fix"'],
    ['no block', PAGE.replace('```ts', '```sh'), 'must have a ts block'],
  ])('rejects a page with %s', (_, page, fault) => {
    expect(pageFaults('FW_A', page)).toEqual([expect.stringContaining(fault)])
  })
})
