import assert from 'node:assert/strict'
import { test } from 'node:test'
import { server } from './main.ts'

function logIn(password: string, headers: Record<string, string> = {}): Promise<Response> {
  return server.fetch('/login', { method: 'POST', body: new URLSearchParams({ name: 'ada', password }), headers })
}

test('sends anonymous users to the login page, and lets users log in', async () => {
  const anonymous = await server.fetch('/', { redirect: 'manual' })
  assert.equal(anonymous.headers.get('location'), '/login')

  const response = await logIn('correct horse', { 'sec-fetch-site': 'same-origin' })
  assert.equal(response.status, 303)
  const [field = ''] = response.headers.getSetCookie()
  assert.match(field, /; HttpOnly; SameSite=Lax$/)
  const cookie = field.slice(0, field.indexOf(';'))
  assert.match(await (await server.fetch('/', { headers: { cookie } })).text(), /Hello ada/)
  assert.equal((await server.fetch('/', { headers: { cookie: cookie.replace('ada', 'bob') } })).status, 302)
})

test('refuses a wrong password', async () => {
  assert.equal((await logIn('incorrect horse')).status, 403)
})

test('refuses forms from other sites', async () => {
  assert.equal((await logIn('correct horse', { 'sec-fetch-site': 'cross-site' })).status, 403)
  assert.equal((await logIn('correct horse', { origin: 'https://example.org' })).status, 403)
  assert.equal((await logIn('correct horse', { host: 'shop.example', origin: 'https://shop.example' })).status, 303)
})
