/**
 * Packs and lints the published packages, compares them with their size budgets, and rehearses a release. Installs them
 * into an empty folder with pnpm and with npm, and compiles and runs programs and the README examples there. Emits the
 * declarations of a library on top of them. Then bundles an application and runs the bundles without the packages.
 *
 * Prints one line per package. Exits with code 1 if a check fails.
 */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleAndRun } from './packages/bundle-and-run.ts'
import { checkTarball } from './packages/check-tarball.ts'
import { checkDependencyRanges, readCatalog, type PublishedDependencies } from './packages/dependency-ranges.ts'
import { checkDependencyReasons } from './packages/dependency-reasons.ts'
import { checkMetadata, type PackageMetadata } from './packages/metadata.ts'
import { emitDeclarations } from './packages/emit-declarations.ts'
import { installAndRun, nodesOf } from './packages/install-and-run.ts'
import { installWithNpm } from './packages/install-with-npm.ts'
import { pack, publishedPackages, readManifest } from './packages/published-package.ts'
import { pnpmCommand, runCommand } from './packages/run-command.ts'
import { runReadmes } from './packages/run-readmes.ts'
import { checkPackedSize } from './packages/size-budgets.ts'

/** Pages other than READMEs whose examples need nothing but the packages. */
const PAGES_WITH_PROGRAMS = [
  'docs/complete-example.md',
  'packages/access-log/docs/options.md',
  'packages/core/docs/typescript.md',
  'packages/log/docs/functions.md',
  'packages/static/docs/one-file.md',
]

const root = join(import.meta.dirname, '..')
const folder = await mkdtemp(join(tmpdir(), 'fw-packages-'))
try {
  if (!(await checkAll())) process.exitCode = 1
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function checkAll(): Promise<boolean> {
  const packages = publishedPackages(root)
  const built = await runCommand(['tsc', '-b', ...packages.map((each) => each.folder)], root)
  if (!built.ok) return report('build', [built.output])

  const tarballs = await Promise.all(packages.map((each) => pack(each, folder)))
  const packed = new Map(packages.map((each, at) => [each, tarballs[at] ?? { path: '', files: [] }]))
  const catalog = readCatalog(await readFile(join(root, 'pnpm-workspace.yaml'), 'utf8'))
  const pinned = packages.flatMap((each) =>
    checkDependencyRanges(readManifest(each.folder) as PublishedDependencies, catalog),
  )
  let isFit = report('docs/dependencies.md', checkDependencyReasons(root))
  isFit = report('dependency ranges', pinned) && isFit
  for (const [{ name, folder: source }, tarball] of packed) {
    const problems = [...checkMetadata(readManifest(source) as PackageMetadata), ...checkPackedSize(name, tarball.path)]
    isFit = report(name, [...problems, ...(await checkTarball(tarball, root))]) && isFit
  }
  const published = await runCommand([...pnpmCommand(), '-r', 'publish', '--dry-run', '--no-git-checks'], root)
  isFit = report('release dry run', published.ok ? [] : [published.output]) && isFit

  const empty = join(folder, 'user')
  await mkdir(empty)
  const ran = await installAndRun(packed, empty, root)
  isFit = report('installation into an empty folder', ran.ok ? [] : [ran.output]) && isFit

  const library = join(folder, 'library')
  await mkdir(library)
  const emitted = await emitDeclarations(packed, library, root)
  isFit = report('declarations of a library', emitted.ok ? [] : [emitted.output]) && isFit
  if (!ran.ok) return false

  const nodes = nodesOf(empty)
  const npm = await installWithNpm(packed, join(folder, 'npm'), join(empty, 'program.ts'), nodes)
  isFit = report('installation with npm', npm) && isFit
  const readmes = [
    ...[root, ...packages.map((each) => each.folder)].map((each) => join(each, 'README.md')),
    ...PAGES_WITH_PROGRAMS.map((page) => join(root, page)),
  ]
  isFit = report('README examples', await runReadmes(empty, readmes, root, nodes)) && isFit
  return report('bundles', await bundleAndRun(empty, folder, root, nodes)) && isFit
}

/** Prints the result of one check. @returns whether it passed */
function report(name: string, problems: readonly string[]): boolean {
  console.log(problems.length === 0 ? `ok      ${name}` : `NOT OK  ${name}\n${problems.join('\n')}`)
  return problems.length === 0
}
