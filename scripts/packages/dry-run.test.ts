import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { ancestorCommands, isDryRun } from './dry-run.ts'

describe('isDryRun', () => {
  it.each([
    ['pnpm -r publish --dry-run --no-git-checks'],
    ['sh -c node check-release.ts', 'node /bin/pnpm.cjs publish --dry-run'],
  ])('accepts %s', (...commands) => {
    expect(isDryRun({}, commands)).toBe(true)
  })

  it("accepts npm's variable", () => {
    expect(isDryRun({ npm_config_dry_run: 'true' }, [])).toBe(true)
  })

  it.each([
    ['pnpm -r publish --no-git-checks'],
    ['pnpm publish', 'pnpm -r publish --dry-run'],
    ['node release.js --dry-run'],
    ['pnpm publish --tag not-a--dry-run'],
    [],
  ])('rejects %s', (...commands) => {
    expect(isDryRun({}, commands)).toBe(false)
  })
})

describe('ancestorCommands', () => {
  it('lists the parent first, then its parent', () => {
    const url = new URL('dry-run.ts', import.meta.url)
    const script = `import('${url.href}').then(({ ancestorCommands }) => console.log(JSON.stringify(ancestorCommands())))`
    const printed = execFileSync('sh', ['-c', '"$0" -e "$1"; true', process.execPath, script, 'publish', '--dry-run'])
    const [parent, ...others] = JSON.parse(printed.toString()) as string[]
    expect(parent).toMatch(/^sh .* publish --dry-run$/s)
    expect(others.slice(1)).toEqual(ancestorCommands())
  })
})
