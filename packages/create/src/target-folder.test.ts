import { describe, expect, it } from 'vitest'
import { packageName } from './target-folder.ts'

describe('packageName', () => {
  it.each([
    ['my-app', 'my-app'],
    ['/srv/My App', 'my-app'],
    ['.hidden', 'hidden'],
    ['../Ünï_1.2', 'n-_1.2'],
    ['日本', 'my-app'],
    ['node_modules', 'my-app'],
    ['/', 'my-app'],
  ])('derives the name of %j: %s', (folder, name) => {
    expect(packageName(folder)).toBe(name)
  })
})
