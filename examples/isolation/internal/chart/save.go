package chart

import (
	"bytes"
	"os"
	"path/filepath"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Save writes the picture into a folder, as name.svg and name.png.
func (p *Picture) Save(folder, name string) error {
	width, height := p.size()
	image := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(144))}
	for extension, canvas := range map[string]vg.CanvasWriterTo{".svg": vgsvg.New(width, height), ".png": image} {
		p.draw(draw.New(canvas))
		var out bytes.Buffer
		if _, err := canvas.WriteTo(&out); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, name+extension), withFallback(out.Bytes()), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// withFallback makes an SVG name fonts of the same widths for where Liberation
// is not installed.
func withFallback(picture []byte) []byte {
	return bytes.ReplaceAll(picture, []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
}
