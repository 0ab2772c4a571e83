/** Returns null if the error means that a file does not exist. Rethrows every other error. */
export function returnNullIfFileMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
