import { useEffect, useState } from 'preact/hooks';

/** The only form of id that goes into request paths: anybody can write the link that a page is opened by. */
const now = () => /^dev_[0-9a-z]{26}$/.exec(new URLSearchParams(location.search).get('device') ?? '')?.[0] ?? null;

/** The device that the address names (`?device=`), and how to name another one: a device can be linked to, and gone back from. */
export function useNamedDevice(): [string | null, (deviceId: string | null) => void] {
  const [named, setNamed] = useState(now);
  useEffect(() => {
    const onPop = () => setNamed(now());
    addEventListener('popstate', onPop);
    return () => removeEventListener('popstate', onPop);
  }, []);
  const name = (deviceId: string | null) => {
    if (deviceId !== now()) history.pushState(null, '', deviceId === null ? location.pathname : `?device=${deviceId}`);
    setNamed(deviceId);
  };
  return [named, name];
}
