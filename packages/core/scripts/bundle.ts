/** Writes the published form of this package to `dist/bundle` (docs/decisions/0030). */
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import * as esbuild from 'esbuild'

const ROOT = join(import.meta.dirname, '..')
const OUTPUT = join(ROOT, 'dist/bundle')

/**
 * Copies CommonJS source files unchanged. Their `require` must stay as it is, because esbuild would write a
 * function that other bundlers cannot follow.
 */
const copyCommonJs: esbuild.Plugin = {
  name: 'copy CommonJS',
  setup(build) {
    build.onResolve({ filter: /^\.\.?\/.*\.cjs$/ }, async ({ path, resolveDir }) => {
      const name = basename(path)
      await copyFile(join(resolveDir, path), join(OUTPUT, name))
      return { path: `./${name}`, external: true }
    })
  },
}

/**
 * Rewrites `require('node:stream')` in bundled CommonJS packages. ES modules have no `require`, so an application that
 * esbuild bundles as an ES module could not run it.
 */
const builtinsWithoutRequire: esbuild.Plugin = {
  name: 'built-in modules without require',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'require-call' ? { path, namespace: 'builtin' } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
    }))
  },
}

/** Packages to include in the output. All other packages remain imports, so that users receive their updates. */
const BUNDLED = new Set(['@fastify/busboy'])

const externalPackages: esbuild.Plugin = {
  name: 'external packages',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || BUNDLED.has(path) ? undefined : { path, external: true },
    )
  },
}

const options: esbuild.BuildOptions = {
  absWorkingDir: ROOT,
  entryPoints: ['src/index.ts'],
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  sourcemap: true,
  sourcesContent: false,
  outdir: OUTPUT,
  logLevel: 'warning',
  plugins: [copyCommonJs, builtinsWithoutRequire, externalPackages],
}

await rm(OUTPUT, { recursive: true, force: true })
await mkdir(OUTPUT, { recursive: true })
await esbuild.build(options)
await copyFile(join(ROOT, 'node_modules/@fastify/busboy/LICENSE'), join(OUTPUT, 'LICENSE-busboy.txt'))
