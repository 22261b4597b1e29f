import { pathToFileURL } from 'node:url'
import { relative } from 'node:path'
import { tempFolder } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { directoryToServe } from './directory.ts'

describe('directoryToServe', () => {
  it('takes an absolute path, one relative to the working directory, or a URL', async () => {
    await using folder = await tempFolder({ 'public/a.txt': '' })
    const directory = folder.join('public')
    expect(directoryToServe(directory)).toBe(`${directory}/`)
    expect(directoryToServe(`${directory}/`)).toBe(`${directory}/`)
    expect(directoryToServe(relative(process.cwd(), directory))).toBe(`${directory}/`)
    expect(directoryToServe(pathToFileURL(directory))).toBe(`${directory}/`)
    expect(directoryToServe(new URL(`${pathToFileURL(directory).href}/`))).toBe(`${directory}/`)
    expect(directoryToServe('/')).toBe('/')
  })

  it.each([
    ['', "''"],
    [undefined, 'undefined'],
    [{}, '{}'],
    [5, '5'],
  ])('refuses %j, which says nothing of where files are', (location, shown) => {
    expect(() => directoryToServe(location as string)).toThrow(
      new TypeError(`Cannot serve ${shown}: give a path, '.' for the working directory, or a file: URL`),
    )
  })

  it('names what is no directory', async () => {
    await using folder = await tempFolder({ file: '' })
    const missing = folder.join('missing')
    expect(() => directoryToServe(missing)).toThrow(
      `Cannot serve ${missing}: there is no such directory. Make it, or name the one`,
    )
    expect(() => directoryToServe(folder.join('file'))).toThrow(
      `Cannot serve ${folder.join('file')}: it is no directory`,
    )
    expect(() => directoryToServe(new URL('https://example.org/x'))).toThrow(
      new TypeError('Cannot serve https://example.org/x: it is no file: URL'),
    )
  })
})
