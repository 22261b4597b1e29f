// Writes the pages whose text is stored elsewhere in the repository: package pages, the API reference and figures.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chartsOf } from './generate/charts.ts'
import { decisionsPage } from './generate/decisions-page.ts'
import { withFrontMatter } from './generate/markdown.ts'
import { packagesPage } from './generate/packages-page.ts'
import { performancePage } from './generate/performance-page.ts'
import { referencePages } from './generate/reference-page.ts'
import { type Body, repositoryPage } from './generate/repository-page.ts'
import { ROOT, errorSources, readSources } from './generate/sources.ts'
import { testsPage } from './generate/tests-page.ts'
import { PAGES, REPOSITORY_URL } from './site/pages.ts'

const CONTENT = new URL('../src/content/docs/', import.meta.url)
const PUBLIC = new URL('../public/', import.meta.url)
const REFERENCE = new URL('apps/reference/dist/', ROOT)

// Pages that no longer exist must not stay on the site.
for (const folder of ['guides', 'reference', 'errors'])
  rmSync(new URL(folder, CONTENT), { recursive: true, force: true })

const sources = readSources()
for (const { path, label, file } of PAGES) {
  const source = file === undefined ? undefined : sources.get(file)
  if (source !== undefined) writePage(path, repositoryPage(source, path, sources, REPOSITORY_URL), label)
}
const packages = [
  'core',
  'log',
  'access-log',
  'static',
  'sse',
  'cors',
  'csrf',
  'auth',
  'etag',
  'security-headers',
  'session',
  'rate-limit',
  'node-middleware',
  'websocket',
  'client-address',
  'http-fields',
  'compress',
  'types',
]
const reference = packages.map((name): [string, string] => [
  name,
  readFileSync(new URL(`${name}/src.md`, REFERENCE), 'utf8'),
])
for (const [path, body] of referencePages(new Map(reference))) writePage(path, body)
writePage('packages', packagesPage())
writePage('why/decisions', decisionsPage())
writePage('why/performance', performancePage())
writePage('why/tests', testsPage())
for (const source of errorSources()) {
  for (const { path } of source.pages) writePage(path, repositoryPage(source, path, sources, REPOSITORY_URL))
}
// The site looks like the demo.
const DEMO = new URL('apps/demo/public/', ROOT)
cpSync(new URL('icon.svg', DEMO), new URL('favicon.svg', PUBLIC))
cpSync(new URL('fonts', DEMO), new URL('fonts', PUBLIC), { recursive: true })
for (const [name, svg] of chartsOf()) write(new URL(`charts/${name}.svg`, PUBLIC), svg)

function writePage(path: string, { title, description, markdown }: Body, label?: string): void {
  // The title of a README is the package name. The page label names the subject.
  const fields = {
    title: title.startsWith('@fw/') && label !== undefined ? label : title,
    description,
    // Astro would convert the path to lower case, but error codes are in upper case.
    ...(path.startsWith('errors/') && { slug: path }),
  }
  write(new URL(`${path}.md`, CONTENT), withFrontMatter(fields, markdown))
}

function write(url: URL, text: string): void {
  mkdirSync(dirname(fileURLToPath(url)), { recursive: true })
  writeFileSync(url, text)
}
