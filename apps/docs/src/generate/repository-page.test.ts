import { describe, expect, it } from 'vitest'
import { repositoryPage, type Source } from './repository-page.ts'

const LOG = `# The log

Writes [lines](docs/sinks.md#files) to [any sink](../core/src/sink.ts). See [RFC 9110](https://example.org/).

## Files

\`\`\`ts
const link = '[not](docs/sinks.md)'
\`\`\`

## Rotation

Text with a [note][1] and [later](#rotation), [earlier](#files).

[1]: docs/sinks.md
`
const sources = new Map<string, Source>([
  [
    'packages/log/README.md',
    {
      file: 'packages/log/README.md',
      markdown: LOG,
      pages: [{ path: 'guides/log' }, { path: 'guides/rotation', from: 'Rotation' }],
    },
  ],
  [
    'packages/log/docs/sinks.md',
    {
      file: 'packages/log/docs/sinks.md',
      markdown: '# Sinks\n\n## Files\n\nBack to [the log](..).\n',
      pages: [{ path: 'guides/sinks' }],
    },
  ],
])

function page(file: string, path: string, url?: string): ReturnType<typeof repositoryPage> {
  const source = sources.get(file)
  if (source === undefined) throw new Error(`The test has no file ${file}`)
  return repositoryPage(source, path, sources, url)
}

describe('repositoryPage', () => {
  it('uses the first heading as the title and the first sentence as the description', () => {
    expect(page('packages/log/README.md', 'guides/log')).toMatchObject({
      title: 'The log',
      description: 'Writes lines to any sink.',
    })
  })

  it('replaces links between files with site paths, and links to sources with plain text', () => {
    const { markdown } = page('packages/log/README.md', 'guides/log')
    expect(markdown).toContain(
      'Writes [lines](/guides/sinks/#files) to any sink. See [RFC 9110](https://example.org/).',
    )
  })

  it('links to sources in the repository if it has a URL', () => {
    const { markdown } = page('packages/log/README.md', 'guides/log', 'https://example.org/fw')
    expect(markdown).toContain('[any sink](https://example.org/fw/blob/main/packages/core/src/sink.ts)')
  })

  it('does not change code', () => {
    expect(page('packages/log/README.md', 'guides/log').markdown).toContain("const link = '[not](docs/sinks.md)'")
  })

  it('divides a file at a heading, and links to the page of each anchor', () => {
    expect(page('packages/log/README.md', 'guides/log').markdown).not.toContain('## Rotation')
    const { title, markdown } = page('packages/log/README.md', 'guides/rotation')
    expect(title).toBe('Rotation')
    expect(markdown).toContain('[later](/guides/rotation/), [earlier](/guides/log/#files)')
  })

  it('resolves a link to a folder as its README, and links with definitions', () => {
    expect(page('packages/log/docs/sinks.md', 'guides/sinks').markdown).toContain('[the log](/guides/log/)')
    expect(page('packages/log/README.md', 'guides/rotation').markdown).toContain('[note](/guides/sinks/)')
  })
})
