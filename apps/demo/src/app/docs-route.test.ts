import { Server } from '@fw/core'
import { expect, it } from 'vitest'
import { registerDocsRoute } from './docs-route.ts'

async function ask(docsUrl: string | undefined): Promise<Response> {
  const server = new Server()
  registerDocsRoute(server.router(), docsUrl)
  return server.fetch(new Request('http://localhost/docs', { redirect: 'manual' }))
}

it('redirects to the documentation site', async () => {
  const response = await ask('https://docs.example/')
  expect([response.status, response.headers.get('location')]).toEqual([302, 'https://docs.example/'])
})

it('shows the README if no site is configured', async () => {
  const response = await ask(undefined)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(await response.text()).toMatch(/^# fw\n/)
})
