import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const ROUTES = 500
/**
 * Budget for type checking. A router that collects all routes in its type needs thousands of instantiations, which
 * slows down editors.
 */
const MAX_INSTANTIATIONS_PER_ROUTE = 150

const HEAD = `import { App, type StandardSchema } from '@fw/core'
declare const User: StandardSchema<{ name: string; age: number }>
declare const Page: StandardSchema<{ page: number }>
const { router } = new App()
const api = router.group('/api')
router.get('/first/:id', (ctx) => ctx.params.id)
api.post('/first/:id', { body: User, query: Page }, (ctx) => ctx.valid.body.name)
`

const PLAIN = (i: number): string =>
  `router.get('/r${i}/:id/posts/:post?', (ctx) => ({ id: ctx.params.id.toUpperCase(), post: ctx.params.post ?? null }))`
const WITH_SCHEMAS = (i: number): string =>
  `api.post('/r${i}/:id/posts/:post', { body: User, query: Page }, async ({ params, valid }) => [params.id + params.post, valid.body.age, valid.query.page])`

describe('the compiler', () => {
  it.each([
    ['with two parameters', PLAIN],
    ['with two parameters and two schemas', WITH_SCHEMAS],
  ])(
    `creates at most ${MAX_INSTANTIATIONS_PER_ROUTE} instantiations for each of ${ROUTES} routes %s`,
    async (_, route) => {
      const [few, many] = [await instantiations(0, route), await instantiations(ROUTES, route)]
      expect((many - few) / ROUTES).toBeLessThanOrEqual(MAX_INSTANTIATIONS_PER_ROUTE)
      // Proves that the routes are typed. An application typed as `any` would need no instantiations.
      expect(many).toBeGreaterThan(few)
    },
  )

  it('rejects unknown parameters and members in the measured application', async () => {
    await expect(instantiations(1, () => `router.get('/x/:id', (ctx) => ctx.params.nope)`)).rejects.toThrow('nope')
    const wrong = `api.post('/x', { body: User }, (ctx) => ctx.valid.body.nope)`
    await expect(instantiations(1, () => wrong)).rejects.toThrow('nope')
  })
})

/** Returns the type instantiations of an application with `count` routes. Rejects with the compiler's errors. */
async function instantiations(count: number, route: (index: number) => string): Promise<number> {
  // The directory is inside the package, so that the compiler resolves the package's name and dependencies.
  const directory = await mkdtemp(join(dirname(fileURLToPath(import.meta.url)), '.types-'))
  try {
    const lines = Array.from({ length: count }, (_, i) => route(i))
    await writeFile(join(directory, 'app.ts'), `${HEAD}${lines.join('\n')}\n`)
    await writeFile(
      join(directory, 'tsconfig.json'),
      JSON.stringify({
        extends: '../../../../tsconfig.base.json',
        compilerOptions: {
          composite: false,
          incremental: false,
          isolatedDeclarations: false,
          declaration: false,
          declarationMap: false,
          noEmit: true,
          allowImportingTsExtensions: true,
          rewriteRelativeImportExtensions: false,
        },
        files: ['app.ts'],
      }),
    )
    const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
    const run = promisify(execFile)(process.execPath, [tsc, '-p', directory, '--extendedDiagnostics'])
    const { stdout } = await run.catch((error: { stdout: string }) => {
      throw new Error(error.stdout)
    })
    return Number(/^Instantiations:\s*(\d+)/m.exec(stdout)?.[1])
  } finally {
    await rm(directory, { recursive: true })
  }
}
