package chart

import (
	"bytes"
	"fmt"
	"html"
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
	svg, err := p.render(vgsvg.New(width, height))
	if err != nil {
		return err
	}
	png, err := p.render(vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(144))})
	if err != nil {
		return err
	}
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path+".svg", tidy(svg, p.Title), 0o666); err != nil {
		return err
	}
	return os.WriteFile(path+".png", png, 0o666)
}

func (p *Picture) render(canvas vg.CanvasWriterTo) ([]byte, error) {
	p.draw(draw.New(canvas))
	var out bytes.Buffer
	_, err := canvas.WriteTo(&out)
	return out.Bytes(), err
}

// tidy names the font once and not at every text, with others of the same widths
// for where Liberation is not installed, aligns the texts, and says what is seen to
// those who can't see it.
func tidy(svg []byte, title string) []byte {
	svg = bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans;font-variant:normal;"), nil)
	svg = bytes.ReplaceAll(svg, []byte("font-weight:normal;font-style:normal;"), nil)
	for _, anchor := range anchors {
		if anchor.mark != "" {
			svg = bytes.ReplaceAll(svg, []byte(">"+anchor.mark), []byte(anchor.attribute+">"))
		}
	}
	head := fmt.Sprintf(`<svg role="img" aria-label="%s" font-family="Liberation Sans, Arial, Helvetica, sans-serif" `, html.EscapeString(title))
	return bytes.Replace(svg, []byte("<svg "), []byte(head), 1)
}
