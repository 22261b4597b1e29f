import { Server } from '@fw/core'
import { tempFolder } from '@fw/testing'
import { expect, it } from 'vitest'
import './register.ts'

it('adds a chainable method to routers and groups', async () => {
  await using folder = await tempFolder({ 'a.txt': 'A' })
  const server = new Server()
  const router = server.router()
  expect(router.staticFiles('/files', folder.path, { spa: false })).toBe(router)
  const group = router.group('/group')
  expect(group.staticFiles('/', folder.path)).toBe(group)
  for (const path of ['/files/a.txt', '/group/a.txt']) expect(await (await server.fetch(path)).text()).toBe('A')
})

it('checks its arguments', () => {
  const router = new Server().router()
  // @ts-expect-error -- the directory is missing
  expect(() => router.staticFiles('/')).toThrow(TypeError)
  // @ts-expect-error -- there is no such option
  expect(() => router.staticFiles('/', '.', { index: 'a.html' })).toThrow('unknown option "index"')
})
