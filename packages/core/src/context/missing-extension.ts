/** The methods that other packages install, and where they come from. */
const EXTENSIONS = {
  sse: '@fw/sse/register',
  staticFiles: '@fw/static/register',
} as const

/** What a method throws that nobody has installed: what to type next. */
export function missingExtension(receiver: 'ctx' | 'router', name: keyof typeof EXTENSIONS): Error {
  return new Error(`${receiver}.${name}() needs: import '${EXTENSIONS[name]}'`)
}
