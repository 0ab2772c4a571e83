import { useEffect, useState } from 'preact/hooks';

const now = () => new URLSearchParams(location.search).get('device');

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
