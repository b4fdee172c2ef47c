"use client";

import { Menu } from "@base-ui/react/menu";

type Props = { query: string };

/** The list as it is filtered, as a file. Plain links: the browser does the rest. */
export function ExportMenu({ query }: Props) {
  const href = (format: string) => `/inbox/export?${query ? `${query}&` : ""}format=${format}`;
  return (
    <Menu.Root>
      <Menu.Trigger className="btn">Export</Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" className="z-20">
          <Menu.Popup className="popup p-1 text-2">
            {(["csv", "json"] as const).map((format) => (
              <Menu.Item key={format} className="menu-item" render={<a href={href(format)} download />}>
                {format.toUpperCase()}, up to 10,000 rows
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
