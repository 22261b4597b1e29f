import { pathToFileURL } from 'node:url'
import { relative } from 'node:path'
import { tempFolder } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { directoryToServe } from './directory.ts'

describe('directoryToServe', () => {
  it('accepts an absolute path, a path relative to the working directory, or a URL', async () => {
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
    ['', '""'],
    [undefined, 'undefined'],
    [{}, 'an object'],
    [5, '5'],
  ])('refuses the invalid location %j', (location, shown) => {
    expect(() => directoryToServe(location as string)).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        message: `staticFiles: directory must be a non-empty path or a file: URL, got ${shown}. Use "." for the working directory.`,
      }),
    )
  })

  it('refuses a location that is not a directory and states the reason', async () => {
    await using folder = await tempFolder({ file: '' })
    const missing = folder.join('missing')
    const subject = 'staticFiles: directory must be an existing directory, got'
    expect(() => directoryToServe(missing)).toThrow(
      expect.objectContaining({
        name: 'Error',
        message: `${subject} "${missing}", which does not exist. Create it, or use the directory that contains the files.`,
      }),
    )
    expect(() => directoryToServe(folder.join('file'))).toThrow(
      expect.objectContaining({
        name: 'Error',
        message: `${subject} "${folder.join('file')}", which is not a directory. Use the directory that contains it.`,
      }),
    )
    expect(() => directoryToServe(new URL('https://example.org/x'))).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        message:
          'staticFiles: directory must be a non-empty path or a file: URL, got a URL. Replace "https:" with "file:".',
      }),
    )
  })
})
