import { describe, expect, it } from 'vitest'
import { fillTables } from './fill-tables.ts'

const PAGE = `# Page

<!-- options: Close of close.ts -->
stale
<!-- end of options -->

<!-- options: Limits of limits.ts with DEFAULTS -->
<!-- end of options -->

Text.
`
const SOURCES: Readonly<Record<string, string>> = {
  'close.ts': `export interface Close {
  /** Time to wait. Default 10. */
  readonly drainMs?: number | 'auto'
}`,
  'limits.ts': `export interface Limits {
  /** Largest body. Default 1,024. */
  readonly maxBodyBytes: number
}`,
}

function fill(page: string, maxBodyBytes: number): string {
  return fillTables(page, { read: (path) => SOURCES[path] ?? '', defaults: () => ({ maxBodyBytes }) })
}

describe('fillTables', () => {
  it('writes the table between each pair of markers and keeps the rest of the page', () => {
    expect(fill(PAGE, 1024)).toBe(`# Page

<!-- options: Close of close.ts -->
<!-- prose-check off -->

| option    | type               | default | effect        |
| --------- | ------------------ | ------- | ------------- |
| \`drainMs\` | \`number \\| 'auto'\` | 10      | Time to wait. |

<!-- prose-check on -->
<!-- end of options -->

<!-- options: Limits of limits.ts with DEFAULTS -->
<!-- prose-check off -->

| option         | default | effect        |
| -------------- | ------- | ------------- |
| \`maxBodyBytes\` | 1,024   | Largest body. |

<!-- prose-check on -->
<!-- end of options -->

Text.
`)
  })

  it('does not change a page that is already filled', () => {
    const filled = fill(PAGE, 1024)
    expect(fill(filled, 1024)).toBe(filled)
  })

  it('throws if the default in a docstring differs from the code', () => {
    expect(() => fill(PAGE, 2048)).toThrow('maxBodyBytes: the docstring states the default 1,024, the code 2,048')
  })
})
