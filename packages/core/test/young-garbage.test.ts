import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const ENTRY = new URL('../src/index.ts', import.meta.url).href
const CHURN_SET = new URL('../src/engine/collections/churn-set.ts', import.meta.url).href
const REQUESTS = 500
/** Number of rounds. Their minimum is used, because V8 compiles no code in at least one of them. */
const ROUNDS = 5

/** Prints the bytes per request that remain after a young-generation collection, as the minimum of several rounds. */
const program = (request: string): string => `
  import { getHeapSpaceStatistics } from 'node:v8'
  import { App } from ${JSON.stringify(ENTRY)}
  const app = new App()
  app.router.get('/', () => 'hello')
  app.router.use((ctx, next) => next())
  app.router.get('/around', async () => 'hello')
  app.router.get('/finish', (ctx) => { ctx.onFinish(() => {}); return 'hello' })
  app.router.post('/json', async (ctx) => ({ got: await ctx.json() }))
  const json = (path) => [path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":[1,2,3]}' }]
  const young = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_used_size
  const requests = async () => {
    for (let i = 0; i < ${REQUESTS}; i++) await (await app.fetch(...${request})).text()
    // Wait, because callbacks of the next turn, such as the end of a stream, still reference their request.
    await new Promise((resolve) => setImmediate(resolve))
  }
  const round = async () => {
    // Collect twice, so that every remaining object is in old space.
    for (let i = 0; i < 2; i++) gc({ type: 'minor' })
    const before = young()
    await requests()
    gc({ type: 'minor' })
    return (young() - before) / ${REQUESTS}
  }
  await requests()
  let minimum = Infinity
  for (let i = 0; i < ${ROUNDS}; i++) minimum = Math.min(minimum, await round())
  console.log(minimum)
`
// Makes new space large enough for all requests, so only the program starts collections.
const FLAGS = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64', '--input-type=module', '--eval']

it.each([
  ['on a static route', `['/']`],
  ['within middleware', `['/around']`],
  ['with an onFinish listener', `['/finish']`],
  ['with a body', `json('/json')`],
  ['from a Request', `[new Request('http://localhost/')]`],
  ['with a body, from a Request', `[new Request(...json('http://localhost/json'))]`],
])('retains no garbage from a request %s after a young-generation collection', async (_, request) => {
  const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, program(request)])
  // A request allocates about 1,000 bytes, and about 10,000 bytes from a Request.
  expect(Number(stdout)).toBeLessThan(100)
})

/** Prints the bytes that remain per object that was added to a set and deleted, as the minimum of several rounds. */
const SET_PROGRAM = `
  import { getHeapSpaceStatistics } from 'node:v8'
  import { ChurnSet } from ${JSON.stringify(CHURN_SET)}
  const set = new ChurnSet()
  const used = () => getHeapSpaceStatistics().reduce((sum, space) => sum + space.space_used_size, 0)
  const churn = () => {
    const open = []
    for (let i = 0; i < ${REQUESTS}; i++) {
      open.push({ content: Array(20).fill(i) })
      set.add(open.at(-1))
      if (open.length > 10) set.delete(open.shift())
    }
    for (const item of open) set.delete(item)
  }
  const round = () => {
    // Moves the set to old space, where long-lived objects are.
    set.add({})
    for (let i = 0; i < 2; i++) gc({ type: 'minor' })
    const before = used()
    churn()
    for (let i = 0; i < 2; i++) gc({ type: 'minor' })
    return (used() - before) / ${REQUESTS}
  }
  churn()
  console.log(Math.min(...Array.from({ length: ${ROUNDS} }, round)))
`

it('retains no garbage from objects that were added to a ChurnSet and deleted', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, SET_PROGRAM])
  // An object allocates about 230 bytes. With a Set, 150 of them would remain.
  expect(Number(stdout)).toBeLessThan(20)
})
