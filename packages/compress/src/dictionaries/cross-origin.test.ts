import { expect, it } from 'vitest'
import { isOwnRequest, isReadable } from './cross-origin.ts'

type Fields = Record<string, string>

/** RFC 9842 §9.3.3, line by line. */
it.each<[string, Fields, Fields, boolean]>([
  ['a client that is not a browser', {}, {}, true],
  ['the same origin', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors' }, {}, true],
  ['another site without a mode', { 'sec-fetch-site': 'cross-site' }, {}, true],
  ['a navigation from another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, {}, true],
  ['a navigation by the user', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, {}, true],
  ['the mode same-origin', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'same-origin' }, {}, true],
  ['a script on another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, {}, false],
  ['a script on the same site', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }, {}, false],
  ['a WebSocket', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'websocket' }, {}, false],
  ['an unknown mode', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'new' }, {}, false],
  ['a CORS request that is not allowed', cors({ origin: 'https://a.test' }), {}, false],
  ['a CORS request without an origin', cors({}), allow('*'), false],
  ['a CORS request from any origin', cors({ origin: 'https://a.test' }), allow('*'), true],
  ['a CORS request from the allowed origin', cors({ origin: 'https://a.test' }), allow('https://a.test'), true],
  ['a CORS request from another origin', cors({ origin: 'https://b.test' }), allow('https://a.test'), false],
  ['the origin null', cors({ origin: 'null' }), allow('https://a.test'), false],
  // Stricter than the RFC: another page can cause these requests, and the response can contain a secret.
  ['cookies from any origin', cors({ origin: 'https://a.test', cookie: 'a=b' }), allow('*'), false],
  ['credentials from any origin', cors({ origin: 'https://a.test', authorization: 'Basic x' }), allow('*'), false],
  [
    'cookies from the allowed origin',
    cors({ origin: 'https://a.test', cookie: 'a=b' }),
    allow('https://a.test'),
    false,
  ],
  [
    'cookies from the origin that may send them',
    cors({ origin: 'https://a.test', cookie: 'a=b' }),
    { ...allow('https://a.test'), 'access-control-allow-credentials': 'true' },
    false,
  ],
  ['a navigation from another site with cookies', navigation('cross-site'), {}, false],
  ['a navigation from the same site with cookies', navigation('same-site'), {}, false],
  ['another site without a mode, with cookies', { 'sec-fetch-site': 'cross-site', cookie: 'a=b' }, {}, false],
  ['a navigation on the same origin with cookies', navigation('same-origin'), {}, true],
  ['a navigation by the user with cookies', navigation('none'), {}, true],
  ['cookies from a client that is not a browser', { cookie: 'a=b' }, {}, true],
])('reports whether the sender can read the response: %s', (_, request, response, expected) => {
  expect(isReadable(new Headers(request), new Headers(response))).toBe(expected)
})

it.each([
  [undefined, true],
  ['same-origin', true],
  ['none', true],
  ['same-site', false],
  ['cross-site', false],
  ['anything', false],
])('reports whether a request with Sec-Fetch-Site: %s is the own one: %s', (site, expected) => {
  expect(isOwnRequest(new Headers(site === undefined ? {} : { 'sec-fetch-site': site }))).toBe(expected)
})

function cors(more: Fields): Fields {
  return { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', ...more }
}

function navigation(site: string): Fields {
  return { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', cookie: 'a=b' }
}

function allow(origin: string): Fields {
  return { 'access-control-allow-origin': origin }
}
