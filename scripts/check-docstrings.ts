// Fails if an editor would show no text for something that a published package exports: a symbol, an overload, a public
// member or an option, also one of a type that is only reachable from an export.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { API } from 'typescript/unstable/sync'
import { type Finding, undocumented } from './docs/undocumented.ts'

const root = resolve('.')
const findings = new Map<string, Finding>()

const api = new API()
for (const manifest of globSync('packages/*/package.json')) {
  const text = readFileSync(manifest, 'utf8')
  if (text.includes('"private": true')) continue
  const config = resolve(dirname(manifest), 'tsconfig.json')
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
  if (project === undefined) throw new Error(`${config} is not a project.`)
  for (const [, entry = ''] of text.matchAll(/"\.\/(src\/[^"*]+\.ts)"/g)) {
    for (const finding of undocumented(project, join(dirname(config), entry), isOwn)) {
      findings.set(`${relative(root, finding.path)}:${finding.line}`, finding)
    }
  }
}
api.close()

for (const [place, { name }] of [...findings].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
  console.error(`${place}: ${name} has no docstring. Say what an editor should show for it.`)
}
process.exitCode = findings.size > 0 ? 1 : 0

function isOwn(path: string): boolean {
  return path.startsWith(`${root}/packages/`) && !path.includes('/node_modules/')
}
