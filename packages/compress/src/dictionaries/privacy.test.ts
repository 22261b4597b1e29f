import { expect, it } from 'vitest'
import { audienceOf } from './privacy.ts'

type Fields = Record<string, string>

it.each<[string, Fields, string]>([
  ['no fields', {}, 'private'],
  ['a lifetime', { 'cache-control': 'max-age=60' }, 'private'],
  ['no-cache', { 'cache-control': 'no-cache' }, 'private'],
  ['public', { 'cache-control': 'public, max-age=60' }, 'public'],
  ['PUBLIC', { 'cache-control': 'PUBLIC' }, 'public'],
  ['s-maxage', { 'cache-control': 's-maxage=60' }, 'public'],
  ['the word public in an argument', { 'cache-control': 'ext="a, public, b"' }, 'private'],
  ['no-store', { 'cache-control': 'no-store' }, 'not-stored'],
  ['no-store among others', { 'cache-control': 'public, NO-STORE' }, 'not-stored'],
  ['private', { 'cache-control': 'public, private, max-age=60' }, 'private'],
  ['private fields', { 'cache-control': 'public, private="x-user, x-name"' }, 'private'],
  ['the word private in an argument', { 'cache-control': 'public, ext="a, private, b"' }, 'public'],
  ['a cookie', { 'set-cookie': 'a=b', 'cache-control': 'public' }, 'private'],
  ['Vary: Cookie', { vary: 'Accept, Cookie', 'cache-control': 'public' }, 'private'],
  ['Vary: Authorization', { vary: 'authorization', 'cache-control': 'public' }, 'private'],
  ['Vary: *', { vary: '*', 'cache-control': 'public' }, 'private'],
  ['Vary: Cookie-Preference', { vary: 'Cookie-Preference', 'cache-control': 'public' }, 'public'],
])('returns the audience of a response with %s', (_, response, expected) => {
  expect(audienceOf(new Headers(response), false)).toBe(expected)
})

it.each<[string, Fields, string]>([
  ['no fields', {}, 'public'],
  ['a lifetime', { 'cache-control': 'max-age=60' }, 'public'],
  ['private', { 'cache-control': 'private' }, 'private'],
  ['no-store', { 'cache-control': 'no-store' }, 'not-stored'],
  ['a cookie', { 'set-cookie': 'a=b' }, 'private'],
])('returns the audience of a file with %s', (_, response, expected) => {
  expect(audienceOf(new Headers(response), true)).toBe(expected)
})
