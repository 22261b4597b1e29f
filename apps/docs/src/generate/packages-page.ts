import { readFileSync, readdirSync } from 'node:fs'
import type { Body } from './repository-page.ts'
import { ROOT } from './sources.ts'

/** Guide of each package. */
const GUIDES: Readonly<Record<string, string>> = {
  '@fw/core': '/quickstart/',
  '@fw/log': '/guides/logging/',
  '@fw/access-log': '/guides/access-log/',
  '@fw/static': '/guides/static-files/',
  '@fw/sse': '/guides/server-sent-events/',
  '@fw/cors': '/guides/cors/',
  '@fw/csrf': '/guides/csrf/',
  '@fw/auth': '/guides/auth/',
  '@fw/etag': '/guides/etag/',
  '@fw/security-headers': '/guides/security-headers/',
  '@fw/session': '/guides/sessions/',
  '@fw/node-middleware': '/guides/node-middleware/',
  '@fw/rate-limit': '/guides/rate-limit/',
  '@fw/websocket': '/guides/websockets/',
  '@fw/client-address': '/guides/client-address/',
  '@fw/http-fields': '/guides/http-fields/',
  '@fw/compress': '/guides/compression/',
  '@fw/options': '/guides/options/',
  '@fw/types': '/reference/types/',
}

interface Manifest {
  readonly name: string
  readonly description: string
  readonly private?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
}

/** Returns the page that compares the published packages, with the purpose from each manifest. */
export function packagesPage(): Body {
  const folder = new URL('packages/', ROOT)
  const manifests = readdirSync(folder)
    .map((name) => JSON.parse(readFileSync(new URL(`${name}/package.json`, folder), 'utf8')) as Manifest)
    .filter((manifest) => manifest.private !== true)
    .toSorted((a, b) => rank(a) - rank(b))
  const rows = manifests.map(({ name, description, dependencies = {} }) => {
    const guide = GUIDES[name]
    const brings = Object.keys(dependencies).filter((each) => each.startsWith('@fw/'))
    const link = guide === undefined ? `\`${name}\`` : `[\`${name}\`](${guide})`
    return `| ${link} | ${description} | ${brings.map((each) => `\`${each}\``).join(', ')} |`
  })
  return {
    title: 'Which package',
    description: 'Explains what each package does, and which ones a small service needs.',
    markdown: `${NEEDS}\n\n## All packages\n\n| package | purpose | installs |\n| --- | --- | --- |\n${rows.join('\n')}\n\n${RULES}`,
  }
}

function rank({ name }: Manifest): number {
  const at = Object.keys(GUIDES).indexOf(name)
  return at === -1 ? Number.MAX_SAFE_INTEGER : at
}

const NEEDS = `Start with \`@fw/core\`. Add a package when you need its feature:

\`\`\`sh
npm install @fw/core                 # routes, validation, TLS, HTTP/1.1, HTTP/2
npm install @fw/log @fw/access-log   # log lines, and one line for each request
npm install @fw/static               # files from a folder
npm install @fw/sse                  # server-sent events
npm install @matrixai/quic           # HTTP/3
\`\`\`

| you build | packages |
| --- | --- |
| a JSON API | \`@fw/core\`, \`@fw/log\`, \`@fw/access-log\` |
| a site with files | \`@fw/core\`, \`@fw/static\`, \`@fw/access-log\` |
| pages that update by themselves | \`@fw/core\`, \`@fw/sse\`, \`@fw/static\` |
| a program without a server | \`@fw/log\` |`

const RULES = `- \`@fw/log\`, \`@fw/client-address\` and \`@fw/http-fields\` work in any program.
- The other feature packages do not import \`@fw/core\`. They work with any context and router that implement the interfaces of \`@fw/types\`.
- All packages are ES modules for Node.js 24 and later, and have the same version.`
