"use client";

export function PrintButton() {
  return (
    <button type="button" className="btn max-phone:hidden" onClick={() => window.print()}>
      Print
    </button>
  );
}
